/** Other spellings of a JSON Web Token, which lenient decoders of base64 take for the same token. */

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Returns spellings that differ from the token; each may be sent in a header. */
export function tokenSpellings(token: string): string[] {
	const parts = token.split(".");
	const inPart = parts.flatMap((part, index) => respelled(part).map((other) => parts.with(index, other).join(".")));
	const [header = "", payload = "", signature = ""] = parts;
	const whole = [
		`${token}.`,
		`${token}.${signature}`,
		`.${token}`,
		`${header}.${payload}`,
		`${header}.${payload}.`,
		`${header}..${signature}`,
		`${encoded({ alg: "none", typ: "JWT" })}.${payload}.`,
		`${encoded({ alg: "none" })}.${payload}.${signature}`,
		`${reordered(header)}.${payload}.${signature}`,
		`${header}.${reordered(payload)}.${signature}`,
	];
	return [...new Set([...inPart, ...whole])].filter((spelling) => spelling !== token);
}

/** Returns texts of which some decode to the same bytes as the part. */
function respelled(part: string): string[] {
	const last = alphabet.indexOf(part.at(-1) ?? "A");
	const unused = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15].map(
		(bits) => part.slice(0, -1) + alphabet[last ^ bits],
	);
	return [
		...unused,
		`${part}=`,
		`${part}==`,
		`${part}A`,
		`${part}~`,
		`~${part}`,
		`${part.slice(0, 4)}~${part.slice(4)}`,
		part.replaceAll("-", "+").replaceAll("_", "/"),
		Buffer.from(part, "base64url").toString("base64"),
	];
}

function reordered(part: string): string {
	const members = Object.entries(JSON.parse(Buffer.from(part, "base64url").toString()) as object);
	return encoded(Object.fromEntries(members.toReversed()));
}

function encoded(value: object): string {
	return Buffer.from(JSON.stringify(value)).toString("base64url");
}
