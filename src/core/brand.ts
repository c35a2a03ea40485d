declare const brand: unique symbol;

/** A nominal type: a string that went through its parser. Private type guards make one, so that no cast is needed anywhere. */
export type Brand<Base, Name extends string> = Base & Branded<Name>;

/** Apart from Brand so that declaration files can name it. */
export interface Branded<Name extends string> {
  readonly [brand]: Name;
}
