from copy import deepcopy

better = deepcopy(app.openapi())
operation = better["paths"]["/tasks/{task}/finish"]["post"]
operation["summary"] = "Finish a task (close an issue): sets its status to done."
print([endpoint.operation_id for endpoint in Surface(better, client).discover("close the issue")])
client.close()
