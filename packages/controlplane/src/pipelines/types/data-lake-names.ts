import {
  type ConfigurationProblem,
  entryOf,
  type YamlMapping,
  type YamlScalar,
  type YamlValue,
} from '@weir/pipelines/yaml';

/** Finds name conflicts in a data lake configuration: duplicate clusters, and tables of an unknown cluster. */
export function dataLakeNameProblems(root: YamlMapping): ConfigurationProblem[] {
  const problems: ConfigurationProblem[] = [];
  const known = new Set<string>();
  for (const [index, name] of namesIn(root, 'source_clusters', 'name').entries()) {
    if (known.has(name.value as string))
      problems.push({ place: name.place, message: `source_clusters[${index}].name: is there twice` });
    known.add(name.value as string);
  }
  for (const [index, name] of namesIn(root, 'tables', 'source_cluster_name').entries()) {
    if (!known.has(name.value as string))
      problems.push({
        place: name.place,
        message: `tables[${index}].source_cluster_name: is none of source_clusters`,
      });
  }
  return problems;
}

/** Returns one field of every item of a list. Its presence is already checked. */
function namesIn(root: YamlMapping, listName: string, field: string): YamlScalar[] {
  const list = entryOf(root, listName)?.value as Extract<YamlValue, { kind: 'list' }>;
  return list.items.map((item) => entryOf(item as YamlMapping, field)!.value as YamlScalar);
}
