import { componentOf } from '../component/component-spec.ts';
import { reasonOf } from '../component/failures.ts';
import { bytes, int, interpolated, list } from '../component/field-types.ts';
import type { Message } from '../component/message.ts';

const selectParts = componentOf('processor', {
  name: 'select_parts',
  about: 'Keeps messages of a batch by their index, in the order of the indexes; the others are dropped.',
  fields: { parts: list('The indexes; negative ones count from the end.', int('An index.')).or([]) },
  open: ({ parts }) => ({
    process(batch) {
      const selected = parts
        .map((index) => batch.at(index))
        .filter((message): message is Message => message !== undefined);
      return selected.length === 0 ? [] : [selected];
    },
  }),
});

const insertPart = componentOf('processor', {
  name: 'insert_part',
  about: 'Puts another message into a batch, which is the first one with another content.',
  fields: {
    index: int('Where; negative ones count from the end.').or(-1),
    content: interpolated('Its content.').or(''),
  },
  open: ({ index, content }, context) => ({
    process(batch) {
      try {
        const text = content.text(batch, 0, context.mappingPorts);
        // Also its error, as in Bento.
        const added = batch[0]!.withContent(Buffer.from(text));
        const at = index < 0 ? Math.max(0, batch.length + index + 1) : Math.min(index, batch.length);
        return [batch.toSpliced(at, 0, added)];
      } catch (error) {
        context.log.warn('failed to make a message to insert', { error: reasonOf(error) });
        return [batch];
      }
    },
  }),
});

const boundsCheck = componentOf('processor', {
  name: 'bounds_check',
  about: 'Drops batches that have too many or too few messages, or a message that is too large or too small.',
  fields: {
    max_part_size: bytes('The most bytes of a message.').or(1_073_741_824),
    min_part_size: bytes('The fewest bytes of a message.').or(1),
    max_parts: int('The most messages of a batch.').or(100).advanced(),
    min_parts: int('The fewest messages of a batch.').or(1).advanced(),
  },
  open: (fields) => ({
    process(batch) {
      if (batch.length < fields.min_parts || batch.length > fields.max_parts) return [];
      const isWithin = ({ byteLength }: Message) =>
        byteLength >= fields.min_part_size && byteLength <= fields.max_part_size;
      return batch.every(isWithin) ? [batch] : [];
    },
  }),
});

export const partProcessors = [selectParts, insertPart, boundsCheck];
