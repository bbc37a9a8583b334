export type { ConfigurationProblem } from './configuration-problem.ts';
export { printYaml } from './print-yaml.ts';
export { readYaml, shownKey } from './read-yaml.ts';
export {
  entryOf,
  isEmpty,
  placeWithin,
  plainValueOf,
  type TextPlace,
  type YamlEntry,
  type YamlList,
  type YamlMapping,
  type YamlScalar,
  type YamlValue,
} from './yaml-value.ts';
