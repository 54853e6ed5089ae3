-- Names in the texts of credentials are handles, too. The program fills the table again: SQL cannot fold all names.
delete from handles;
