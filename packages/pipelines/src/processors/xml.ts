import { parseXml } from '@weir/bloblang';
import { componentOf } from '../component/component-spec.ts';
import { eachMessage } from '../component/failures.ts';
import { bool, oneOf } from '../component/field-types.ts';

export const xml = componentOf('processor', {
  name: 'xml',
  about:
    'Makes a JSON document of an XML document: attributes have names behind `-`, texts beside them `#text`, and elements that occur again are arrays.',
  fields: {
    operator: oneOf('What to convert to.', ['to_json']),
    cast: bool('Whether texts that are numbers or booleans become such.').or(false),
  },
  open: ({ cast: casts }, context) => ({
    process: (batch) =>
      eachMessage(batch, context, 'xml', (message) =>
        message.withValue(parseXml(message.content, { casts })),
      ),
  }),
});
