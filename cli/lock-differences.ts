/** Compares an installation of npm with its lock file. Pure. */

interface Locked {
	version?: string;
	integrity?: string;
	optional?: boolean;
}

/**
 * Returns sentences about packages that differ from the lock file. A lock file may lack optional packages of other
 * kinds of machine; the packages that need them name them exactly.
 * @param lock The committed lock file. @param installed The lock file that npm writes into `node_modules`.
 */
export function lockDifferences(lock: unknown, installed: unknown): string[] {
	const [wanted, found] = [packagesOf(lock), packagesOf(installed)];
	return Object.entries(found).flatMap(([path, { version, integrity, optional }]) => {
		const expected = wanted[path];
		if (!expected) return optional === true ? [] : [`"${path}" ${version} is not in it`];
		const isSame = expected.version === version && expected.integrity === integrity;
		return isSame ? [] : [`"${path}" is ${version} (${integrity}), not ${expected.version} (${expected.integrity})`];
	});
}

function packagesOf(lock: unknown): Record<string, Locked> {
	const { packages = {} } = lock as { packages?: Record<string, Locked> };
	return packages;
}
