import { forbidden, missing, type Rule } from './rule.ts';

const others = [
  'externalSchemaRegistryUsername',
  'externalSchemaRegistryPassword',
  'externalSchemaRegistryPasswordFile',
  'externalSchemaRegistryCACertFile',
] as const;

const passwords = ['externalSchemaRegistryPassword', 'externalSchemaRegistryPasswordFile'] as const;

export const externalRegistryRule: Rule = {
  statement:
    '-externalSchemaRegistryUsername goes together with one of -externalSchemaRegistryPassword and ' +
    '-externalSchemaRegistryPasswordFile, and all, like -externalSchemaRegistryCACertFile, with ' +
    '-externalSchemaRegistryURL.',
  flags: ['externalSchemaRegistryURL', ...others],
  commands: ['agent'],
  check(values) {
    const set = others.find((name) => values[name] !== undefined);
    if (values.externalSchemaRegistryURL.length === 0) {
      return set === undefined ? undefined : forbidden([set], 'needs -externalSchemaRegistryURL').problem;
    }
    const given = passwords.filter((name) => values[name] !== undefined);
    if (given.length > 1) return forbidden(given, 'set one of them').problem;
    const [password] = given;
    const username = values.externalSchemaRegistryUsername;
    if (username !== undefined && password === undefined)
      return missing(
        ['externalSchemaRegistryPassword'],
        'is required with -externalSchemaRegistryUsername, or -externalSchemaRegistryPasswordFile',
      ).problem;
    if (username === undefined && password !== undefined)
      return missing(['externalSchemaRegistryUsername'], `is required with -${password}`).problem;
    return undefined;
  },
};
