-- A table outside the overlay that foreign keys of the overlay refer to or come from: seen as it is.
create view {window} as select {columns} from {relation}
