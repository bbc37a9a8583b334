import { type ConfigurationProblem, entryOf, type YamlMapping, type YamlScalar } from '@weir/pipelines/yaml';
import type { TableConfiguration } from '../table-definition.ts';
import { nameInCatalog } from './catalog-fields.ts';
import { itemsOf } from './table-fields.ts';

/** The table that keeps records that could not be rows. */
const deadLettersSuffix = '__dlq';

export function tableNameOf(sourceName: string, topic: string): string {
  return `${sourceName}__${topic}`;
}

/** Finds conflicts of names: duplicate clusters, tables of an unknown cluster, and two tables of one name. */
export function nameProblems(root: YamlMapping): ConfigurationProblem[] {
  const problems: ConfigurationProblem[] = [];
  const sources = new Set<string>();
  for (const [index, item] of itemsOf(root, 'source_clusters').entries()) {
    const name = textIn(item, 'name');
    if (sources.has(name.value as string))
      problems.push({ place: name.place, message: `source_clusters[${index}].name: is there twice` });
    sources.add(name.value as string);
  }
  const tables = new Map<string, { readonly index: number; readonly topic: YamlScalar }>();
  for (const [index, item] of itemsOf(root, 'tables').entries()) {
    const source = textIn(item, 'source_cluster_name');
    const topic = textIn(item, 'source_topic');
    if (!sources.has(source.value as string))
      problems.push({
        place: source.place,
        message: `tables[${index}].source_cluster_name: is none of source_clusters`,
      });
    const name = tableNameOf(source.value as string, topic.value as string);
    const other = tables.get(name);
    if (other !== undefined)
      problems.push({
        place: topic.place,
        message: `tables[${index}].source_topic: is the table ${name}, as tables[${other.index}] is`,
      });
    else tables.set(name, { index, topic });
  }
  for (const [name, { index, topic }] of tables) {
    if (!name.endsWith(deadLettersSuffix) || !tables.has(name.slice(0, -deadLettersSuffix.length))) continue;
    problems.push({
      place: topic.place,
      message: `tables[${index}].source_topic: is the table ${name}, which keeps the failed records of another table`,
    });
  }
  return problems;
}

/** Finds tables that have one name in their catalog, where fewer letters are distinguished than in topics. */
export function catalogNameProblems(
  root: YamlMapping,
  definitions: readonly Pick<TableConfiguration, 'name' | 'catalog'>[],
): ConfigurationProblem[] {
  const problems: ConfigurationProblem[] = [];
  const names = new Map<string, number>();
  const items = itemsOf(root, 'tables');
  for (const [index, { name, catalog }] of definitions.entries()) {
    if (catalog === undefined) continue;
    const found = nameInCatalog(catalog, name);
    const problem = (other: number) => ({
      place: textIn(items[index]!, 'source_topic').place,
      message: `tables[${index}].source_topic: has the name ${found} in its catalog, as tables[${other}] has`,
    });
    for (const one of [found, `${found}${deadLettersSuffix}`]) {
      const key = `${catalog.digest} ${one}`;
      const other = names.get(key);
      if (other !== undefined) {
        problems.push(problem(other));
        break;
      }
      names.set(key, index);
    }
  }
  return problems;
}

/** A field whose presence is already checked. */
function textIn(item: YamlMapping, field: string): YamlScalar {
  return entryOf(item, field)!.value as YamlScalar;
}
