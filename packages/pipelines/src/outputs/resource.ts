import { componentWith } from '../component/component-spec.ts';
import { resource as label } from '../component/field-types.ts';
import type { Batch } from '../component/message.ts';

export const resource = componentWith('output', {
  name: 'resource',
  connectionsCountedBy: 'its children',
  about: 'Writes to an output of `output_resources`, by its label.',
  field: label('output', 'The label.'),
  open: (name, { resources }) => {
    const output = () => resources.get('output', name);
    return {
      ready: () => output().ready?.(),
      write: async (batch: Batch, stop) => output().write(batch, stop),
      flush: async (when) => output().flush?.(when),
      // The pipeline closes its resources.
      close: async () => {},
    };
  },
});
