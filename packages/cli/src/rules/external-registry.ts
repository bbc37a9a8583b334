import { forbidden, missing, type Rule } from './rule.ts';

const others = [
  'externalSchemaRegistryUsername',
  'externalSchemaRegistryPassword',
  'externalSchemaRegistryCACertFile',
] as const;

export const externalRegistryRule: Rule = {
  statement:
    '-externalSchemaRegistryUsername and -externalSchemaRegistryPassword go together, and both, like ' +
    '-externalSchemaRegistryCACertFile, with -externalSchemaRegistryURL.',
  flags: ['externalSchemaRegistryURL', ...others],
  commands: ['agent'],
  check(values) {
    const set = others.find((name) => values[name] !== undefined);
    if (values.externalSchemaRegistryURL.length === 0) {
      return set === undefined
        ? undefined
        : forbidden([set], 'only goes together with -externalSchemaRegistryURL').problem;
    }
    const { externalSchemaRegistryUsername: username, externalSchemaRegistryPassword: password } = values;
    if (username !== undefined && password === undefined)
      return missing(['externalSchemaRegistryPassword'], '-externalSchemaRegistryUsername needs it').problem;
    if (username === undefined && password !== undefined)
      return missing(['externalSchemaRegistryUsername'], '-externalSchemaRegistryPassword needs it').problem;
    return undefined;
  },
};
