import type { ProxyTarget } from './client-features.ts';

/** `proxy` serves both, the other two roles one half each. An agent with none of them has no Kafka clients. */
export function mayProduce(roles: readonly string[]): boolean {
  return roles.includes('proxy') || roles.includes('proxy-produce');
}

export function mayFetch(roles: readonly string[]): boolean {
  return roles.includes('proxy') || roles.includes('proxy-consume');
}

export function servesTarget(roles: readonly string[], target: ProxyTarget): boolean {
  return target === 'proxy-produce' ? mayProduce(roles) : mayFetch(roles);
}
