import type { Environment } from './compile/environment.ts';
import { compiledMapping, runStatements } from './compile/maps.ts';
import { environmentFunctions } from './functions/environment.ts';
import { generalFunctions } from './functions/general.ts';
import { idFunctions } from './functions/ids.ts';
import { messageFunctions } from './functions/message.ts';
import { arrayMethods } from './methods/arrays.ts';
import { encodingMethods } from './methods/encoding.ts';
import { generalMethods } from './methods/general.ts';
import { numberMethods } from './methods/numbers.ts';
import { objectMethods } from './methods/objects.ts';
import { parsingMethods } from './methods/parsing.ts';
import { patternMethods } from './methods/patterns.ts';
import { stringMethods } from './methods/strings.ts';
import { timeMethods } from './methods/time.ts';
import { tokenMethods } from './methods/tokens.ts';
import { Frame } from './runtime/frame.ts';
import { Run } from './runtime/run.ts';
import { type FunctionSpec, type MethodSpec, param } from './runtime/spec.ts';
import { BloblangError } from './syntax/syntax-error.ts';
import { fail } from './values/mapping-error.ts';

const allFunctions: readonly FunctionSpec[] = [
  ...generalFunctions,
  ...idFunctions,
  ...messageFunctions,
  ...environmentFunctions,
];

/** Mappings within mappings never see the message or the environment. */
const bloblangMethod: MethodSpec = {
  name: 'bloblang',
  category: 'parsing',
  doc: 'Runs the mapping of a text on the value; it sees neither the message nor the environment.',
  params: [param.string('mapping')],
  make(args) {
    const compiled = (() => {
      try {
        return compiledMapping(args.string('mapping'), pureEnvironment, undefined);
      } catch (error) {
        if (error instanceof BloblangError) return fail(error.described);
        throw error;
      }
    })();
    return (value, { run, depth }) => {
      const { budget } = run;
      budget.step();
      if (depth >= budget.limits.mapDepthMax)
        fail(`entering mapping exceeded maximum allowed stacks of ${budget.limits.mapDepthMax}`);
      const inner = new Run([{}], 0, budget, run.ports, compiled.maps);
      const frame = new Frame(inner, value, depth + 1, 0);
      runStatements(compiled.statements, frame, compiled.source);
      return frame.root;
    };
  },
};

const allMethods: readonly MethodSpec[] = [
  ...generalMethods,
  ...stringMethods,
  ...patternMethods,
  ...numberMethods,
  ...timeMethods,
  ...arrayMethods,
  ...objectMethods,
  ...parsingMethods,
  ...encodingMethods,
  ...tokenMethods,
  bloblangMethod,
];

const byName = <Named extends { readonly name: string }>(
  specs: readonly Named[],
): ReadonlyMap<string, Named> => new Map(specs.map((spec) => [spec.name, spec]));

/** Everything: for pipelines. What reads files or variables still needs a port that lets it. */
export const pipelineEnvironment: Environment = {
  functions: byName(allFunctions),
  methods: byName(allMethods),
  allowsImports: true,
};

/**
 * For transforms of tables: the result depends on the record alone, so nothing that knows the time, the machine, the
 * message or chance.
 */
export const pureEnvironment: Environment = {
  functions: byName(allFunctions.filter(({ needs }) => needs === undefined)),
  methods: byName(allMethods.filter(({ needs }) => needs === undefined)),
  allowsImports: false,
};
