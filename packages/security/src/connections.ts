/** What a new connection needs before its first request. Serving threads load this and not the rest of the package. */
export { ProxyRefusal, readProxiedClient } from './proxy-protocol/proxied-client.ts';
export { bareAddress } from './session/client-host.ts';
export { TlsAcceptor, TlsRefusal } from './tls/tls-acceptor.ts';
