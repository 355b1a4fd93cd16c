/** The table of credential types: what each needs, how it is shown in a form, and how it gets into a pod. Pure. */
import type { SecretTypeInfo } from "#shared/contracts/credentials/credentials.ts";
import { type SecretType, secretTypes } from "#shared/contracts/credentials/secret-types.ts";

/**
 * The fields of a type get into a pod by its `default_mount_type`. `env`: each is a variable of the one environment file;
 * `file`: it is a file as it is; `template`: several fields become several files.
 */
interface SecretTypeRow extends Omit<SecretTypeInfo, "type"> {
	/** Fields that never get into a pod: whoever has them could make new credentials. */
	readonly withheld: readonly string[];
}

type Field = SecretTypeInfo["fields"][number];

function field(key: string, label: string, type: Field["type"] = "password", required = true): Field {
	return { key, label, type, required };
}

export const secretTypeTable: Readonly<Record<SecretType, SecretTypeRow>> = {
	api_key: {
		label: "API key",
		description: "Keys of a service; each becomes an environment variable",
		fields: [field("api_key", "Key")],
		default_mount_type: "env",
		withheld: [],
	},
	oauth_token: {
		label: "OAuth token",
		description: "A token of an OAuth login; it becomes an environment variable, the refresh token does not",
		fields: [field("access_token", "Access token"), field("refresh_token", "Refresh token", "password", false)],
		default_mount_type: "env",
		withheld: ["refresh_token", "client_secret"],
	},
	git_credential: {
		label: "Git credential",
		description: "User and token of a git host; git asks for them when it clones, fetches and pushes",
		fields: [field("url", "URL, https://<user>:<token>@<host>")],
		default_mount_type: "file",
		withheld: [],
	},
	ssh_key: {
		label: "SSH key",
		description: "A private key; it becomes ~/.ssh/id_rsa",
		fields: [
			field("private_key", "Private key", "textarea"),
			field("public_key", "Public key", "textarea", false),
			field("known_hosts", "Keys of its hosts", "textarea", false),
		],
		default_mount_type: "file",
		withheld: [],
	},
	tls_cert: {
		label: "TLS certificate",
		description: "A certificate with its key; each becomes a file of the folder of the secrets, below tls/",
		fields: [field("certificate", "Certificate", "textarea"), field("private_key", "Private key", "textarea")],
		default_mount_type: "template",
		withheld: [],
	},
	generic: {
		label: "Generic",
		description: "Any fields; each becomes an environment variable",
		fields: [],
		default_mount_type: "env",
		withheld: [],
	},
};

export function secretTypeInfos(): SecretTypeInfo[] {
	return secretTypes.map((type) => {
		const { label, description, fields, default_mount_type } = secretTypeTable[type];
		return { type, label, description, fields: [...fields], default_mount_type };
	});
}

/** Returns the type of that name. A stored type that this version does not know counts as generic. */
export function secretTypeOf(name: string): SecretType {
	return readSecretType(name) ?? "generic";
}

/** Returns the type of that name; undefined for another name. */
export function readSecretType(name: string): SecretType | undefined {
	return secretTypes.find((type) => type === name);
}
