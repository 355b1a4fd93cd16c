/** The parts of a credential that a launch gets by a connection of its owner, whose integration says what they are for. */
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { text, textMap } from "../field-rules.ts";
import { mcpProgram } from "./pod-secrets.ts";

/** A host of repositories; the password is a field of the credential. */
const mappedGitHost = schema({
	/** The origin, e.g. `https://git.example`. */
	url: text,
	username: text,
	field: text,
});

export const launchMappingFields = schema({
	/** The name of the source in sentences, e.g. `integration "github"`. */
	source: text,
	credential_name: text,
	/** The field of each environment variable. */
	variables: textMap,
	/** The field of each file, by the file's path in the pod. */
	files: textMap,
	git_hosts: { type: "array", items: { type: "object", props: mappedGitHost } },
	mcp_servers: { type: "array", items: { type: "object", props: mcpProgram } },
});
export type LaunchMapping = Output<typeof launchMappingFields>;
