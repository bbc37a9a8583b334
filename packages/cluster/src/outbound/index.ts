/** What configurations of tenants may name: hosts to connect to, and variables of the environment (ADR 0070). */
export { AllowedHosts, HostRefused, problemOfHostRule } from './allowed-hosts.ts';
export {
  AddressRefused,
  type AllowedAddress,
  addressIn,
  guardedLookup,
  isPublicAddress,
} from './public-address.ts';
export {
  isVariableName,
  type LentAwsCredentials,
  migrationVariablePrefix,
  problemOfListedVariable,
  type TenantAccess,
  TenantVariables,
  tenantVariablePrefix,
  usualTenantAccess,
  VariableRefused,
} from './tenant-variables.ts';
