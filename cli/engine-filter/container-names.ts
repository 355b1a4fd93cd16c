/** The names of a platform's containers, which say what each of them may be. Pure. */

const id = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const session = new RegExp(`^session-((${id})-g(0|[1-9]\\d{0,8}))$`);
const warm = /^atelier-warm-([0-9a-f]{16})$/;
const short = /^atelier-(helper|probe)-[0-9a-f]{16}$/;

/** The kinds of containers, with what the name of a session's tells. */
export type NamedContainer =
	| {
			readonly kind: "session";
			/** The id and the generation as the folder of the launch names them. */
			readonly launch: string;
			readonly sessionId: string;
			readonly generation: string;
	  }
	| {
			/** A container that waits for its session. */
			readonly kind: "warm";
			/** The name of its folders, which is the value of its label. */
			readonly own: string;
	  }
	| { readonly kind: "helper" | "probe" };

/** The form of the ids of sessions and workspaces. */
export const sessionId = new RegExp(`^${id}$`);

/** Returns what the container may be; undefined for a name that none of the platform's has. */
export function namedContainer(name: string): NamedContainer | undefined {
	const [, launch, session_id, generation] = session.exec(name) ?? [];
	if (launch !== undefined && session_id !== undefined && generation !== undefined)
		return { kind: "session", launch, sessionId: session_id, generation };
	const [, own] = warm.exec(name) ?? [];
	if (own !== undefined) return { kind: "warm", own };
	const [, kind] = short.exec(name) ?? [];
	return kind === "helper" || kind === "probe" ? { kind } : undefined;
}
