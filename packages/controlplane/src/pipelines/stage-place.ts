import { entryOf, type TextPlace, type YamlValue } from '@weir/pipelines/yaml';

/**
 * Where a component is in a configuration, by the path with which it logs: `root.pipeline.processors.0`, or `output`.
 * The deepest part that the text has, and nothing if it has none of them.
 */
export function placeOfStage(root: YamlValue, stage: string): TextPlace | undefined {
  let found: TextPlace | undefined;
  let value = root;
  for (const step of stage.replace(/^root\./, '').split('.')) {
    const next = stepInto(value, step);
    if (next === undefined) break;
    found = next.place;
    value = next.value;
  }
  return found;
}

function stepInto(
  value: YamlValue,
  step: string,
): { readonly place: TextPlace; readonly value: YamlValue } | undefined {
  if (value.kind === 'mapping') return entryOf(value, step);
  const item = value.kind === 'list' && /^\d{1,6}$/.test(step) ? value.items[Number(step)] : undefined;
  return item && { place: item.place, value: item };
}
