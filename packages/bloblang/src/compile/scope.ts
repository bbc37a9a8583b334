/** What names mean at a place of a mapping. */
export class Scope {
  /** Names of variables by their place in a frame; one list for a mapping or a map. */
  readonly variables: string[];
  /** Parameters of the lambdas around the place, outermost first. */
  readonly parameters: readonly string[];

  constructor(variables: string[] = [], parameters: readonly string[] = []) {
    this.variables = variables;
    this.parameters = parameters;
  }

  withParameter(name: string): Scope {
    return new Scope(this.variables, [...this.parameters, name]);
  }

  /** The place of a variable, which may be set later or never. */
  variable(name: string): number {
    const known = this.variables.indexOf(name);
    return known >= 0 ? known : this.variables.push(name) - 1;
  }
}
