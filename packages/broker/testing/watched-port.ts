import type { ClusterPort } from '@weir/cluster';

/** Returns the port with a call of `onCall` before each call of a method. */
export function watchedPort(
  port: ClusterPort,
  onCall: (method: string, args: readonly unknown[]) => void,
): ClusterPort {
  return new Proxy<ClusterPort>(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        onCall(String(name), args);
        return member.apply(target, args);
      };
    },
  });
}
