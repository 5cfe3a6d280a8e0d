from cowscore.agents.agent import AgentResult


class Finisher:
    """Finishes whatever the first search finds."""

    name = "scripted:finisher"

    def run(self, prompt, tools, seed):
        tools.discover(prompt)
        for task in ("T-101", "T-102"):
            tools.execute("finish_tasks__task__finish_post", {"task": task})
        return AgentResult(outcome="ok", text="I finished two tasks.")
