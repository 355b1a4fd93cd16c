/** The rights of the platform at Vault, as docs/credentials.md has them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

/** Returns the policy for a mount, with the additional rights of the command that moves credentials. */
export function documentedPolicy(mount: string): string {
	const page = readFileSync(join(projectRoot, "docs/credentials.md"), "utf8");
	const [, rights = ""] = /```hcl\n([^`]+)```/.exec(page) ?? [];
	if (rights === "") throw new Error("docs/credentials.md has no policy");
	const ofMove = ["users", "tenants"].map((type) => `path "secret/metadata/${type}" { capabilities = ["list"] }`);
	return [rights, ...ofMove].join("\n").replaceAll('"secret/', `"${mount}/`);
}
