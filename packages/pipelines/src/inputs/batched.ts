import { componentOf } from '../component/component-spec.ts';
import { child } from '../component/field-types.ts';
import { batching } from '../engine/batch-policy.ts';
import { gatheredInput } from '../engine/gathering-input.ts';

export const batched = componentOf('input', {
  name: 'batched',
  connectionsCountedBy: 'its children',
  about: 'Gathers messages of the input within into batches.',
  fields: {
    child: child('input', 'Where messages come from.'),
    policy: batching,
  },
  open: async (fields, context) => gatheredInput(await context.open(fields.child), fields.policy, context),
});
