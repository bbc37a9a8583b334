import { componentOf } from '../src/component/component-spec.ts';
import { child } from '../src/component/field-types.ts';

/** An output `keep_failures` that keeps the errors of another and goes on, so that a test ends. */
export class KeptFailures {
  readonly errors: string[] = [];

  readonly spec = componentOf('output', {
    name: 'keep_failures',
    about: 'Keeps errors of another output, for tests.',
    fields: { output: child('output', 'The other output.') },
    open: async ({ output: config }, context) => {
      const output = await context.open(config);
      return {
        write: (batch, stop) =>
          output.write(batch, stop).catch((error: Error) => {
            this.errors.push(error.message);
          }),
        close: () => output.close(),
      };
    },
  });
}
