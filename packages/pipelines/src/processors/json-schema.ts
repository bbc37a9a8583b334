import { componentOf } from '../component/component-spec.ts';
import { eachMessage } from '../component/failures.ts';
import { string } from '../component/field-types.ts';
import { checkSchema, schemaPath, schemaTextOf } from './schema-text.ts';

export const jsonSchema = componentOf('processor', {
  name: 'json_schema',
  about: 'Checks messages by a JSON schema. They stay as they are; those that do not match have failed.',
  fields: {
    schema: string('The schema.').optional(),
    schema_path: schemaPath('A file with the schema, as `file://` and its path.').optional(),
  },
  check: checkSchema,
  async open(fields, context) {
    const { loadFormat } = await import('@weir/registry/decoding');
    const format = await loadFormat('JSON');
    const codec = format.codec(format.parse({ text: await schemaTextOf(fields), references: [] }));
    return {
      process: (batch) =>
        eachMessage(batch, context, 'json_schema', (message) => {
          const problem = codec.problemOf(message.content);
          if (problem !== undefined) throw new Error(problem);
          return message;
        }),
    };
  },
});
