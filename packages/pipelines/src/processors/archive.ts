import { printBinary, printTar, printZip } from '../archives/index.ts';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { interpolated, oneOf } from '../component/field-types.ts';
import type { Interpolated } from '../component/interpolated.ts';
import type { Batch, Message } from '../component/message.ts';

type Archiver = (batch: Batch, path: Interpolated, context: ComponentContext) => Message;

const formats = {
  concatenate: joined(''),
  lines: joined('\n'),
  binary: (batch) => batch[0]!.withContent(printBinary(batch.map(({ content }) => content))),
  json_array: (batch) => batch[0]!.withValue(batch.map((message) => message.document())),
  tar: files(printTar),
  zip: files(printZip),
} as const satisfies Record<string, Archiver>;

const names = Object.keys(formats) as (keyof typeof formats)[];

function joined(separator: string): Archiver {
  const between = Buffer.from(separator);
  return (batch) =>
    batch[0]!.withContent(
      Buffer.concat(batch.flatMap(({ content }, index) => (index === 0 ? [content] : [between, content]))),
    );
}

function files(print: typeof printTar): Archiver {
  return (batch, path, { mappingPorts, clock }) => {
    const entries = batch.map(({ content }, index) => ({
      name: path.text(batch, index, mappingPorts),
      content,
    }));
    return batch[0]!.withContent(print(entries, clock.nowMs()));
  };
}

export const archive = componentOf('processor', {
  name: 'archive',
  about: 'Makes one message of all messages of a batch, with the metadata of the first.',
  fields: {
    format: oneOf('How contents are put together.', names),
    path: interpolated('The path of each message in a tar or zip archive.').or(''),
  },
  open: ({ format, path }, context) => ({ process: (batch) => [[formats[format](batch, path, context)]] }),
});
