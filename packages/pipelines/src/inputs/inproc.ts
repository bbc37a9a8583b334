import { componentWith } from '../component/component-spec.ts';
import { string } from '../component/field-types.ts';
import { InprocChannel } from '../component/inproc-channel.ts';

export const inproc = componentWith('input', {
  name: 'inproc',
  about: 'Reads what an output `inproc` of the same pipeline writes.',
  field: string('The name of the channel.').check((name) => (name === '' ? 'has to be a text' : undefined)),
  open(name, { resources }) {
    const channel = InprocChannel.of(resources, name);
    return { read: (stop) => channel.take(stop), close: async () => {} };
  },
});
