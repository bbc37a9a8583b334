/** Names that Bento has and mappings cannot use here, with the reason. */
export const unavailableFunctions: Readonly<Record<string, string>> = {
  fake: 'it makes up people and addresses from word lists that are not part of Weir',
};

const database = 'it opens a database file of MaxMind, which mappings may not';

export const unavailableMethods: Readonly<Record<string, string>> = {
  compare_argon2: 'hashes of passwords take longer than a mapping may',
  compare_bcrypt: 'hashes of passwords take longer than a mapping may',
  diff: 'changelogs of the library behind it are not described anywhere',
  patch: 'changelogs of the library behind it are not described anywhere',
  json_path: 'there is no library yet that is safe with expressions from outside',
  json_schema: 'there is no validator yet whose work counts as steps of the mapping',
  format_xml: 'there is no codec yet',
  parse_parquet: 'there is no codec yet',
  ...Object.fromEntries(
    ['anonymous_ip', 'asn', 'city', 'connection_type', 'country', 'domain', 'enterprise', 'isp'].map(
      (name) => [`geoip_${name}`, database],
    ),
  ),
};
