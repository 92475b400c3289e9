-- People at a provider of single sign-on: the provider's id of a person stays when the e-mail address changes.
create table member_identities (
  member_id text collate "C" primary key references members (id) on delete cascade,
  issuer    text collate "C" not null,
  subject   text collate "C" not null
);

create index member_identities_by_subject on member_identities (issuer, subject);
