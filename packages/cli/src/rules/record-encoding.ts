import { forbidden, type Rule } from './rule.ts';

export const recordEncodingRule: Rule = {
  statement:
    'produce encodes values with the schema of -schema-id or -schema-file; set one of them. -schema-type and ' +
    '-reference need -schema-file, which can be standard input only if the values are in -records. ' +
    '-schema-message needs -schema-id or -schema-file.',
  flags: ['schema-id', 'schema-file', 'schema-type', 'schema-message', 'reference', 'records'],
  commands: ['cli produce'],
  check(values) {
    const { 'schema-id': id, 'schema-file': file, 'schema-type': type, reference, records } = values;
    if (id !== undefined && file !== undefined)
      return forbidden(['schema-id', 'schema-file'], 'set one of them').problem;
    if (file === undefined && type !== undefined)
      return forbidden(['schema-type'], 'needs -schema-file').problem;
    if (file === undefined && reference.length > 0)
      return forbidden(['reference'], 'needs -schema-file').problem;
    if (id === undefined && file === undefined && values['schema-message'] !== undefined)
      return forbidden(['schema-message'], 'needs -schema-id or -schema-file').problem;
    if (file === '-' && records === undefined)
      return forbidden(['schema-file'], 'standard input has the values; set -records, or use a file').problem;
    return undefined;
  },
};
