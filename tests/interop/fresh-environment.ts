import { delimiter, join } from 'node:path';
import { type Environment, systemEnvironment } from '@weir/core';

/** The environment of a user who has just come: the machine's Node, npm and its registry, and another home. */
export function freshEnvironment(home: string): Environment {
  const { PATH = '', HOME = '' } = systemEnvironment;
  const npm = Object.entries(systemEnvironment).filter(([name]) =>
    /^(?:npm_config_(?:registry|cache|userconfig|globalconfig)|https?_proxy|no_proxy|node_extra_ca_certs)$/i.test(
      name,
    ),
  );
  return {
    npm_config_cache: join(HOME, '.npm'),
    npm_config_userconfig: join(HOME, '.npmrc'),
    ...Object.fromEntries(npm),
    PATH: PATH.split(delimiter)
      .filter((folder) => !folder.includes('node_modules'))
      .join(delimiter),
    HOME: home,
    // By default the agent would query the cloud for its zone, and servers would listen on all interfaces.
    SERVICE_AVAILABILITY_ZONE: 'here',
    SERVICE_BIND_ADDRESS: '127.0.0.1',
  };
}
