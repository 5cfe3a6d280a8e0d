-- A table of the application, or its keys, for the writer role, which has no rights there: seen as it is.
create view {window} as select {columns} from {relation}
