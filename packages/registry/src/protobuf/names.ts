/** The default name of a field in JSON: without underscores, with a capital letter after each. */
export const defaultJsonName = (name: string): string => {
  let result = '';
  let capital = false;
  for (const char of name) {
    if (char === '_') {
      capital = true;
    } else {
      result += capital ? char.toUpperCase() : char;
      capital = false;
    }
  }
  return result;
};

/** The name of the message of a map's entries. */
export const mapEntryName = (name: string): string => {
  const camel = defaultJsonName(`_${name}`);
  return `${camel}Entry`;
};
