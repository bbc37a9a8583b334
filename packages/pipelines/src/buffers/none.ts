import { componentOf } from '../component/component-spec.ts';

/** The engine leaves it out: reads go straight to the input. */
export const none = componentOf('buffer', {
  name: 'none',
  about: 'No buffer: an input learns that a message was written when it was.',
  fields: {},
  open: () => ({
    store: async () => {},
    next: async () => undefined,
    end() {},
    close: async () => {},
  }),
});
