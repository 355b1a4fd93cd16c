/** Mounts an empty file system on a folder, for tests of what the system refuses there. */
import { execFileSync } from "node:child_process";

/** The root of a mount can neither be moved nor removed. Returns false where this process may not mount. */
export function isMounted(folder: string): boolean {
	try {
		execFileSync("mount", ["-t", "tmpfs", "tmpfs", folder], { stdio: "pipe" });
		return true;
	} catch {
		return false;
	}
}

export function makeReadOnly(folder: string): void {
	execFileSync("mount", ["-o", "remount,ro", folder], { stdio: "pipe" });
}

export function unmount(folder: string): void {
	execFileSync("umount", [folder], { stdio: "pipe" });
}
