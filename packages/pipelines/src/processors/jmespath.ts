import type { Value } from '@weir/bloblang';
import { componentOf } from '../component/component-spec.ts';
import { eachMessage } from '../component/failures.ts';
import { string } from '../component/field-types.ts';
import { withDocument } from './with-document.ts';

export const jmespath = componentOf('processor', {
  name: 'jmespath',
  about: 'Replaces each message by the result of a JMESPath query on it.',
  fields: { query: string('The query.') },
  async open({ query }, context) {
    const { compile, TreeInterpreter } = await import('@jmespath-community/jmespath');
    const compiled = compile(query);
    return {
      process: (batch) =>
        eachMessage(batch, context, 'jmespath', (message) => {
          // Numbers are floats in queries, and not the exact ones that mappings have.
          const found = TreeInterpreter.search(compiled, JSON.parse(message.content.toString()));
          return withDocument(message, (found ?? null) as Value);
        }),
    };
  },
});
