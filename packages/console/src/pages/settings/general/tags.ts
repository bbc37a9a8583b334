import { apiLimits } from '@weir/api/limits';

/** A tag as it is typed; the key is for the list on the page. */
export interface TypedTag {
  readonly key: number;
  readonly name: string;
  readonly value: string;
}

const { clusterTagsMax: tagsMax, clusterTagCharsMax: charsMax } = apiLimits;

/** What is wrong with a tag among the others; `undefined` if nothing is. A row without any text is left out. */
export function tagProblem(tag: TypedTag, all: readonly TypedTag[]): string | undefined {
  if (isEmpty(tag)) return undefined;
  if (tag.name === '') return 'has no name';
  if (tag.name.length > charsMax || tag.value.length > charsMax)
    return `is longer than ${charsMax} characters`;
  if (all.some(({ key, name }) => key < tag.key && name === tag.name))
    return 'has the same name as another tag';
  return all.filter((other) => other.key <= tag.key && !isEmpty(other)).length > tagsMax
    ? `exceeds the limit of ${tagsMax} tags per cluster`
    : undefined;
}

const isEmpty = ({ name, value }: TypedTag) => name === '' && value === '';

export function tagsOf(typed: readonly TypedTag[]): Record<string, string> {
  return Object.fromEntries(typed.filter((tag) => !isEmpty(tag)).map(({ name, value }) => [name, value]));
}
