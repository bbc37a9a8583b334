import { forbidden, type Rule } from './rule.ts';

export const recordEncodingRule: Rule = {
  statement:
    'produce encodes values with the schema of -schema-id or of -schema-file, and takes only one of them; -schema-type and ' +
    '-reference go together with -schema-file, which is standard input only if the values are in -records; ' +
    '-schema-message goes together with either.',
  flags: ['schema-id', 'schema-file', 'schema-type', 'schema-message', 'reference', 'records'],
  commands: ['cli produce'],
  check(values) {
    const { 'schema-id': id, 'schema-file': file, 'schema-type': type, reference, records } = values;
    if (id !== undefined && file !== undefined)
      return forbidden(['schema-id', 'schema-file'], 'each names a schema; set one').problem;
    if (file === undefined && type !== undefined)
      return forbidden(['schema-type'], 'only goes together with -schema-file').problem;
    if (file === undefined && reference.length > 0)
      return forbidden(['reference'], 'only goes together with -schema-file').problem;
    if (id === undefined && file === undefined && values['schema-message'] !== undefined)
      return forbidden(['schema-message'], 'only goes together with -schema-id or -schema-file').problem;
    if (file === '-' && records === undefined)
      return forbidden(['schema-file'], 'the values come from standard input; set -records, or name a file')
        .problem;
    return undefined;
  },
};
