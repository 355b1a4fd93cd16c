/** Hosts of local pods on one machine: each has a data folder and an address of loopback of its own. */
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { compiled } from "../compiled.ts";
import type { TestPlatform } from "../platform/start-platform.ts";

/** The addresses of so many hosts; all of 127.0.0.0/8 is this machine. */
export function hostAddresses(count = 1): string[] {
	return Array.from({ length: count }, (_, n) => addressOf(n + 1));
}

/** The data folder of a host. @param n The number of its pod manager. */
export function hostFolder({ folder }: Pick<TestPlatform, "folder">, n: number): string {
	return join(folder, `host-${n}`);
}

/** Makes the data folder with the keys of the platform; returns the variables of its pod manager. */
export function openHost(platform: TestPlatform, n: number): Record<string, string> {
	const folder = hostFolder(platform, n);
	mkdirSync(folder, { mode: 0o700 });
	openInstallationKey(platform.dataDir, "");
	cpSync(join(platform.dataDir, "keys"), join(folder, "keys"), { recursive: true });
	symlinkSync(compiled, join(folder, "cache"));
	return { DATA_DIR: folder, PODS__RUNTIME__KWARGS__LISTEN_HOST: addressOf(n) };
}

/** Pods at 127.0.0.1 count as pods that no other host reaches. */
function addressOf(n: number): string {
	return `127.0.0.${n + 1}`;
}
