/** Certificates for this machine, for a day, made with openssl. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

export interface Certificate {
	/** Files in PEM. */
	readonly cert: string;
	readonly key: string;
}

/** @param authority Who signs it; nobody: itself. */
export function makeCertificate(folder: string, name: string, authority?: Certificate): Certificate {
	const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
	const what = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"];
	const whose = [
		"-subj",
		`/CN=${name}`,
		"-addext",
		"subjectAltName=IP:127.0.0.1,DNS:localhost",
		"-keyout",
		key,
		"-out",
		cert,
	];
	const signed = authority ? ["-CA", authority.cert, "-CAkey", authority.key] : [];
	execFileSync("openssl", [...what, ...whose, ...signed], { stdio: "ignore" });
	return { cert, key };
}
