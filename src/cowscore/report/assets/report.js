"use strict";
(() => {
  const { trials, contents, prompts } = JSON.parse(document.getElementById("data").textContent);
  const list = document.getElementById("list");
  const fields = ["agent", "workflow", "surface", "outcome"];

  const make = (tag, text, kind) => {
    const node = document.createElement(tag);
    if (text !== undefined && text !== null) node.textContent = text;
    if (kind) node.className = kind;
    return node;
  };
  const number = (value) => (value === null || value === undefined ? "–" : value.toFixed(3));
  const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));

  const table = (headings, rows) => {
    const grid = make("table"), head = grid.createTHead().insertRow(), body = grid.createTBody();
    headings.forEach((text) => { const th = make("th", text); th.scope = "col"; head.append(th); });
    rows.forEach((cells) => {
      const row = body.insertRow();
      cells.forEach((cell) => row.insertCell().append(cell instanceof Node ? cell : make("span", cell)));
    });
    const box = make("div", null, "scroll");
    box.append(grid);
    return box;
  };

  const values = (row) => {
    const box = make("div", null, "values");
    Object.entries(contents[row]).forEach(([name, value]) => {
      const pair = make("span");
      pair.append(make("span", `${name}: `, "soft"), shown(value));
      box.append(pair);
    });
    return box;
  };

  const compared = (row) => {
    const box = values(row.row);
    row.differs.forEach((f) => {
      const line = make("div", null, "differs");
      line.append(make("span", `${f.field}: recording `, "soft"), make("span", shown(f.gt), "good"), make("span", ", agent ", "soft"),
        make("span", shown(f.agent), "bad"), make("span", `, similarity ${number(f.similarity)}`, "soft"));
      box.append(line);
    });
    return box;
  };

  const details = (trial) => {
    const box = make("div");
    const heading = (text, rows) => { if (rows.length) box.append(make("h3", `${text} (${rows.length})`)); return rows.length; };
    if (Object.hasOwn(prompts, trial.workflow)) box.append(make("h3", "Prompt"), make("p", prompts[trial.workflow], "text"));
    if (trial.error) box.append(make("p", trial.error, "bad"));
    if (trial.text) box.append(make("h3", "Last words"), make("p", trial.text, "text"));
    if (trial.scores) {
      box.append(make("h3", "Scores"), table(Object.keys(trial.scores), [Object.values(trial.scores).map(number)]));
      if (heading("Missing rows: the recording has them, the agent does not", trial.missing))
        box.append(table(["table", "kind", "key", "row"], trial.missing.map((r) => [r.table, r.kind, r.key, values(r.row)])));
      if (heading("Extra rows: the agent wrote them, the recording did not", trial.extra))
        box.append(table(["table", "kind", "key", "operation", "row"],
          trial.extra.map((r) => [r.table, r.kind, r.key, r.operation, values(r.row)])));
      if (heading("Matched rows", trial.matched))
        box.append(table(["table", "kind", "key", "similarity", "operation", "what the agent wrote"],
          trial.matched.map((r) => [r.table, r.kind, r.key, number(r.similarity), r.operation, compared(r)])));
      if (heading("Operations that wrote", trial.operations))
        box.append(table(["#", "structural utility", "content utility", "credit"],
          trial.operations.map((o) => [o.number, number(o.struct), number(o.content), number(o.credit)])));
    }
    if (heading("Tool calls", trial.calls))
      box.append(table(["#", "tool", "arguments", "answer", "ms", "operation"], trial.calls.map((c) =>
        [c.ordinal, c.tool, make("pre", c.arguments), c.answer, c.ms, c.operation])));
    return box;
  };

  const entry = (trial) => {
    const node = make("details"), line = make("summary");
    node.id = `trial-${trial.id}`;
    line.append(make("b", trial.scores ? number(trial.scores.overall) : "no score"),
      ` ${trial.agent} on ${trial.workflow}, ${trial.surface} #${trial.number}: ${trial.outcome}`,
      make("span", trial.scores ? ` · ${trial.matched.length} matched, ${trial.missing.length} missing, ${trial.extra.length} extra` : "", "soft"));
    node.append(line);
    node.addEventListener("toggle", () => { if (node.open && !node.dataset.filled) { node.dataset.filled = "1"; node.append(details(trial)); } });
    return node;
  };

  const filters = fields.map((field) => {
    const select = make("select");
    select.setAttribute("aria-label", field);
    select.append(new Option(`every ${field}`, ""));
    [...new Set(trials.map((t) => t[field]))].sort().forEach((value) => select.append(new Option(value, value)));
    select.addEventListener("change", () => {
      location.hash = new URLSearchParams(fields.map((f, i) => [f, filters[i].value]).filter(([, v]) => v)).toString();
    });
    document.getElementById("filter").append(select);
    return select;
  });

  const show = () => {
    const hash = location.hash.slice(1), wanted = new URLSearchParams(hash), only = wanted.get("trial");
    if (hash && !only && !fields.some((f) => wanted.has(f))) return;
    fields.forEach((f, i) => { filters[i].value = wanted.get(f) ?? ""; });
    const chosen = trials.filter((t) => (only ? String(t.id) === only : fields.every((f) => !wanted.get(f) || t[f] === wanted.get(f))));
    document.getElementById("count").textContent = `${chosen.length} of ${trials.length} trials`;
    list.replaceChildren(...chosen.map(entry));
    if (chosen.length === 1) list.firstChild.open = true;
    if (hash) document.getElementById("all").scrollIntoView();
  };
  window.addEventListener("hashchange", show);
  show();

  document.querySelectorAll("table.sortable").forEach((grid) => {
    [...grid.tHead.rows[0].cells].forEach((th, column) => {
      th.setAttribute("aria-sort", "none");
      th.tabIndex = 0;
      const sort = () => {
        const down = th.getAttribute("aria-sort") === "descending";
        [...grid.tHead.rows[0].cells].forEach((other) => other.setAttribute("aria-sort", "none"));
        th.setAttribute("aria-sort", down ? "ascending" : "descending");
        const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
        const order = (a, b) => (isNaN(a) || isNaN(b) ? String(a).localeCompare(String(b)) : a - b);
        [...grid.tBodies[0].rows].sort((a, b) => (down ? 1 : -1) * order(value(a), value(b))).forEach((row) => grid.tBodies[0].append(row));
      };
      th.addEventListener("click", sort);
      th.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
    });
  });
})();
