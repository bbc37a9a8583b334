/** The same options, some of them replaced. Getters stay getters, since some options change. */
export function withOptions<Options extends object, Replaced extends object>(
  options: Options,
  replaced: Replaced,
): Omit<Options, keyof Replaced> & Replaced {
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(options), ...Object.getOwnPropertyDescriptors(replaced) },
  ) as Omit<Options, keyof Replaced> & Replaced;
}
