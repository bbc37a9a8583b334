import { ApiError, type PipelineType, pipelineTypeNames, pipelineTypes } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { secretNamesIn } from '@weir/core';
import { readConfiguration as readMigration } from '@weir/migration/configuration';
import { type ConfigurationReading, catalogue, readStream, streamFields } from '@weir/pipelines/config';
import { type ConfigurationProblem, printYaml, readYaml, type YamlValue } from '@weir/pipelines/yaml';
import { problemsOf } from '@weir/pipelines/yaml-schema';
import { readDefinitions } from '@weir/tables/definition';
import type { ConfigurationPart, NewConfiguration } from '../accounts/workspaces/pipelines.ts';
import type { ConfigurationRules } from './configuration-rules.ts';
import { type MergedParts, mergeParts } from './merge-parts.ts';
import { refusalOf } from './refusal.ts';
import { tenantReferenceProblems, textsIn } from './tenant-references.ts';
import { schemas } from './types/schemas.ts';

export { maskedYaml } from './masked-yaml.ts';

export type GivenConfiguration = { readonly yaml: string } | { readonly parts: readonly ConfigurationPart[] };

/**
 * Returns the configuration to store, or throws an `ApiError` that says what is wrong with it and where. Without
 * `access`, what operators allow is not checked.
 */
export function checkedConfiguration(
  type: PipelineType,
  given: GivenConfiguration,
  access?: ConfigurationRules,
): NewConfiguration {
  if ('yaml' in given) {
    const reading = readYaml(given.yaml);
    const problems = 'problems' in reading ? reading.problems : allProblems(type, reading.value, access);
    if ('problems' in reading || problems.length > 0) throw refusalOf(problems);
    return { ...given, ...secretsOf(reading.value) };
  }
  refuseParts(type, given.parts);
  const { merged, withinPart } = mergeParts(given.parts, schemas[type as 'data_lake']);
  if (merged.size > apiLimits.pipelineYamlValuesMax)
    throw refused(`all parts together: stand for more than ${apiLimits.pipelineYamlValuesMax} values`);
  const yaml = printYaml(merged);
  refuseLong(yaml);
  const [first] = allProblems(type, merged, access);
  if (first !== undefined) throw refusalOfParts(first, withinPart);
  return { yaml, parts: given.parts, ...secretsOf(merged) };
}

/**
 * Returns all problems of a configuration in one piece. Without `access`, what operators allow is not checked: only
 * control planes and agents know it.
 */
export function configurationProblems(
  type: PipelineType,
  yaml: string,
  access?: ConfigurationRules,
): readonly ConfigurationProblem[] {
  const reading = readYaml(yaml);
  return 'problems' in reading ? reading.problems : allProblems(type, reading.value, access);
}

/** Returns what works in a configuration and is not advisable. */
export function configurationWarnings(type: PipelineType, yaml: string): readonly ConfigurationProblem[] {
  if (type !== 'bento') return [];
  const reading = readYaml(yaml);
  return 'problems' in reading ? [] : managedStream(reading.value).warnings;
}

/** Returns the type whose fields a configuration has most of, for one that is given without its type. */
export function likelyTypeOf(yaml: string): PipelineType {
  const reading = readYaml(yaml);
  const root = 'value' in reading && reading.value.kind === 'mapping' ? reading.value.entries : [];
  const known = (type: PipelineType) =>
    root.filter(({ key }) => Object.hasOwn(type === 'bento' ? streamFields : schemas[type].shape, key));
  // The sort is stable, so that the first type is the answer where nothing is known.
  return pipelineTypeNames.toSorted((a, b) => known(b).length - known(a).length)[0]!;
}

/** The secrets that a configuration refers to, if it refers to some. */
function secretsOf(value: YamlValue): Pick<NewConfiguration, 'secretNames'> {
  const secretNames = secretNamesIn(textsIn(value));
  return secretNames.length === 0 ? {} : { secretNames };
}

function allProblems(
  type: PipelineType,
  value: YamlValue,
  access: ConfigurationRules | undefined,
): ConfigurationProblem[] {
  const tenantProblems =
    access === undefined ? [] : tenantReferenceProblems(value, access, { hasOwnVariables: type === 'orbit' });
  // What components a configuration has does not change what it may name.
  if (type === 'bento') return [...tenantProblems, ...managedStream(value).problems];
  const problems = problemsOf(value, schemas[type]);
  if (problems.length > 0) return problems;
  if (type === 'schema_linking') return tenantProblems;
  return [...tenantProblems, ...(type === 'data_lake' ? tableProblems(value) : migrationProblems(value))];
}

function migrationProblems(value: YamlValue): readonly ConfigurationProblem[] {
  const reading = readMigration(value);
  return 'problems' in reading ? reading.problems : [];
}

function tableProblems(value: YamlValue): readonly ConfigurationProblem[] {
  const reading = readDefinitions(value);
  return 'problems' in reading ? reading.problems : [];
}

/** Reads a configuration with the tables of the engine that runs it. */
function managedStream(value: YamlValue): ConfigurationReading {
  return readStream(value, { catalogue, isLocal: false });
}

/** A problem of all parts: it names the part and its line, if it is about an item of a list. */
function refusalOfParts(problem: ConfigurationProblem, withinPart: MergedParts['withinPart']): ApiError {
  const found = withinPart(problem);
  return found === undefined
    ? refused(`all parts together: ${problem.message}`)
    : refusalOf([found.problem], found.part);
}

function refuseParts(type: PipelineType, parts: readonly ConfigurationPart[]): void {
  if (!pipelineTypes[type].hasParts)
    throw refused(`a ${type} pipeline has its configuration in one piece; give configuration_yaml`);
  const names = new Set<string>();
  for (const { name } of parts) {
    if (names.has(name)) throw refused(`there are two parts ${name}`);
    names.add(name);
  }
  refuseLong(parts.map(({ yaml }) => yaml).join('\n'));
}

function refuseLong(yaml: string): void {
  if (Buffer.byteLength(yaml) > apiLimits.pipelineConfigurationBytesMax)
    throw refused(`all parts together: have more than ${apiLimits.pipelineConfigurationBytesMax} bytes`);
}

function refused(message: string): ApiError {
  return new ApiError('invalid_pipeline_configuration', message);
}
