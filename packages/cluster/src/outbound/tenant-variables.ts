import type { Environment } from '@weir/core';
import { AllowedHosts } from './allowed-hosts.ts';

/** Variables with this prefix are made for configurations of tenants. */
export const tenantVariablePrefix = 'WEIR_PIPELINE_';

/** Variables with this prefix are made for migrations, whose configurations name them without it. */
export const migrationVariablePrefix = 'ORBIT_';

/** A variable that a tenant has named and may not read, or that is not set. The message is one line, for tenants. */
export class VariableRefused extends Error {
  override readonly name = 'VariableRefused';
}

/** What configurations of tenants may use of the process that runs them. */
export interface TenantAccess {
  readonly hosts: AllowedHosts;
  readonly variables: TenantVariables;
  /** Credentials of AWS of the process itself, for migrations from Amazon MSK. Absent if the operator lends none. */
  readonly lentAwsCredentials?: (() => Promise<LentAwsCredentials>) | undefined;
}

export interface LentAwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name);
}

/** Returns why an operator may not list a variable for tenants. */
export function problemOfListedVariable(name: string): string | undefined {
  if (!isVariableName(name)) return 'the name of an environment variable is needed';
  // They have the keys of agents and of buckets, and no tenant has a use for them.
  return /^(?:SERVICE_|WEIR_(?!PIPELINE_)|AWS_|AZURE_|GOOGLE_|PG)/i.test(name)
    ? `a variable that weir itself reads is not for tenants; give its value another name, such as ${tenantVariablePrefix}USER`
    : undefined;
}

/**
 * The variables of the environment that configurations of tenants may name: those with the reserved prefix, and those
 * that the operator lists. All others belong to the process: the key of an agent and the credentials of a bucket are
 * variables, too.
 */
export class TenantVariables {
  readonly #environment: Environment;
  readonly #listed: ReadonlySet<string>;

  constructor(environment: Environment, listed: readonly string[] = []) {
    this.#environment = environment;
    this.#listed = new Set(listed);
  }

  /** Returns why a configuration may not name a variable, in words that follow the field that names it. */
  problemOf(name: string): string | undefined {
    if (!isVariableName(name)) return 'is not the name of an environment variable';
    if (name.startsWith(tenantVariablePrefix) || this.#listed.has(name)) return undefined;
    return `names a variable that configurations may not read; use one that begins with ${tenantVariablePrefix}, or one that the operator lists in -allowedPipelineVariables`;
  }

  /** All variables that configurations may name, for a thread that has no environment. */
  all(): Readonly<Record<string, string>> {
    const allowed = Object.entries(this.#environment).filter(
      ([name, value]) => value !== undefined && this.problemOf(name) === undefined,
    );
    return Object.fromEntries(allowed) as Record<string, string>;
  }

  /** The value of a variable. Throws `VariableRefused`. */
  valueOf(name: string): string {
    const problem = this.problemOf(name);
    if (problem !== undefined) throw new VariableRefused(`the configuration ${problem}`);
    const value = Object.hasOwn(this.#environment, name) ? this.#environment[name] : undefined;
    if (value === undefined)
      throw new VariableRefused(`the environment variable ${name} of the agents is not set`);
    return value;
  }

  /** The value of a variable of a migration, by its whole name. Nothing else reads it: it may be a password. */
  migrationValueOf(name: string): string | undefined {
    if (!name.startsWith(migrationVariablePrefix) || !isVariableName(name)) return undefined;
    return Object.hasOwn(this.#environment, name) ? this.#environment[name] : undefined;
  }
}

/** What an operator allows who says nothing: the public internet, and no value of a variable. */
export const usualTenantAccess: TenantAccess = {
  hosts: new AllowedHosts(['public']),
  variables: new TenantVariables({}),
};
