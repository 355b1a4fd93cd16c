/** Whether what npm installed is what the lock file says. Pure. */

interface Locked {
	version?: string;
	integrity?: string;
	optional?: boolean;
}

/**
 * Sentences about packages that are there otherwise than locked. A lock file may lack optional packages of other
 * kinds of machine; those are named exactly by the package that wants them.
 * @param lock The committed one. @param installed The one npm writes into `node_modules`.
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
