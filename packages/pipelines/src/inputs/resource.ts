import { componentWith } from '../component/component-spec.ts';
import { resource as label } from '../component/field-types.ts';
import type { Delivery, Input } from '../component/instances.ts';

/** The last read of an input that several components use: they wait for their turn. */
const reads = new WeakMap<Input, Promise<unknown>>();

export const resource = componentWith('input', {
  name: 'resource',
  connectionsCountedBy: 'its children',
  about: 'Reads from an input of `input_resources`, by its label.',
  field: label('input', 'The label.'),
  open: (name, { resources }) => ({
    read(stop): Promise<Delivery | undefined> {
      const input = resources.get('input', name);
      const before = reads.get(input) ?? Promise.resolve();
      const read = before.then(
        () => input.read(stop),
        () => input.read(stop),
      );
      reads.set(input, read);
      return read;
    },
    close: async () => {},
  }),
});
