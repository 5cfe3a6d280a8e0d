grant select on {window} to {writer}
